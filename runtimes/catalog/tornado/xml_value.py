import os

import tornado.ioloop
import tornado.web


class Value(tornado.web.RequestHandler):
    # The value goes out as it came in, as in the post: nothing is escaped.
    def get(self):
        value = self.get_argument('value', '')
        self.set_header('Content-Type', 'text/xml')
        if value:
            self.write('<http_test><value>' + value + '</value></http_test>')
        else:
            self.write('<http_test><error>no value specified</error></http_test>')


tornado.web.Application([(r'/', Value)]).listen(int(os.environ['PORT']), '127.0.0.1')
tornado.ioloop.IOLoop.current().start()
