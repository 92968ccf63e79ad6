// Runs on every release of Node.js from 0.8 on: no syntax newer than ES5.
var http = require('http');

http.createServer(function (request, response) {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  response.end('Hello World\n');
}).listen(Number(process.env.PORT), '127.0.0.1');
