Deno.serve(
  { hostname: '127.0.0.1', port: Number(Deno.env.get('PORT')), onListen() {} },
  () => new Response('Hello World\n', { headers: { 'Content-Type': 'text/plain' } }),
);
