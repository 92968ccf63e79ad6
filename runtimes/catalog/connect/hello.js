// For every major version: before 1, the module is no function.
var connect = require('connect');
var app = typeof connect === 'function' ? connect() : connect.createServer();

app.use(function (request, response) {
  response.setHeader('Content-Type', 'text/plain');
  response.end('Hello World\n');
});

app.listen(Number(process.env.PORT), '127.0.0.1');
