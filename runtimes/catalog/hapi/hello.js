const Hapi = require('@hapi/hapi');
const server = Hapi.server({ port: Number(process.env.PORT), host: '127.0.0.1' });

server.route({
  method: 'GET',
  path: '/',
  handler: (request, h) => h.response('Hello World\n').type('text/plain'),
});

server.start();
