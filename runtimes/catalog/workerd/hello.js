export default {
  fetch() {
    return new Response('Hello World\n', { headers: { 'Content-Type': 'text/plain' } });
  },
};
