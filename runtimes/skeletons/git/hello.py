# Runs on the Tornado whose source is in the folder given as the first argument.
import os
import sys

sys.path.insert(0, sys.argv[1])

import tornado.ioloop
import tornado.web


class Hello(tornado.web.RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/plain")
        self.write("Hello World\n")


tornado.web.Application([(r"/", Hello)]).listen(int(os.environ["PORT"]), "127.0.0.1")
tornado.ioloop.IOLoop.current().start()
