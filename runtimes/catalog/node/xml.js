// A value of the query as XML, as the five-servers post asked for it. The value
// is given back as it came: the post's servers did no more. Runs on every
// release of Node.js from 0.8 on.
var http = require('http');
var url = require('url');

http.createServer(function (request, response) {
  var value = url.parse(request.url, true).query.value;
  response.writeHead(200, { 'Content-Type': 'text/xml' });
  if (value) {
    response.end('<http_test><value>' + value + '</value></http_test>');
  } else {
    response.end('<http_test><error>no value specified</error></http_test>');
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
