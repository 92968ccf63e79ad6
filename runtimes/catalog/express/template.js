// A page of a template and a value, as a site that renders on the server sends
// it. For every major version from 3 on.
var express = require('express');
var app = express();

app.set('views', __dirname);
app.set('view engine', 'ejs');
app.get('/', function (request, response) {
  response.render('hello', { name: 'World' });
});

app.listen(Number(process.env.PORT), '127.0.0.1');
