Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  fetch() {
    return new Response('Hello World\n', { headers: { 'Content-Type': 'text/plain' } });
  },
});
