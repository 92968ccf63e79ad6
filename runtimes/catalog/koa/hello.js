const Koa = require('koa');
const app = new Koa();

try {
  app.use(async (ctx) => {
    ctx.type = 'text/plain';
    ctx.body = 'Hello World\n';
  });
} catch {
  // Before version 2 a middleware was a generator, and nothing else was taken.
  app.use(function* () {
    this.type = 'text/plain';
    this.body = 'Hello World\n';
  });
}

app.listen(Number(process.env.PORT), '127.0.0.1');
