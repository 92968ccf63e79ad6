const fastify = require('fastify')();
const major = parseInt(require('fastify/package.json').version, 10);
const port = Number(process.env.PORT);

fastify.get('/', (request, reply) => {
  reply.header('Content-Type', 'text/plain').send('Hello World\n');
});

function listening(error) {
  if (error) throw error;
}

// Two arguments were all that there was at first; version 5 takes them no more.
if (major < 4) {
  fastify.listen(port, '127.0.0.1', listening);
} else {
  fastify.listen({ port, host: '127.0.0.1' }, listening);
}
