// For every major version: before 3, the module is no function.
var express = require('express');
var app = typeof express === 'function' ? express() : express.createServer();

app.get('/', function (request, response) {
  response.header('Content-Type', 'text/plain');
  response.send('Hello World\n');
});

app.listen(Number(process.env.PORT), '127.0.0.1');
