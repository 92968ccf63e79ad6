// A file of the disk, read anew for every request. Runs on every release of
// Node.js from 0.8 on.
var fs = require('fs');
var http = require('http');
var path = require('path');

var page = path.join(__dirname, 'page.html');

http.createServer(function (request, response) {
  fs.readFile(page, function (error, content) {
    if (error) {
      response.writeHead(500, { 'Content-Type': 'text/plain' });
      response.end(String(error));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': content.length });
    response.end(content);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
