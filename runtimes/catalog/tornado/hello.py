import os

import tornado.ioloop
import tornado.web


class Hello(tornado.web.RequestHandler):
    def get(self):
        self.set_header('Content-Type', 'text/plain')
        self.write('Hello World\n')


tornado.web.Application([(r'/', Hello)]).listen(int(os.environ['PORT']), '127.0.0.1')
tornado.ioloop.IOLoop.current().start()
