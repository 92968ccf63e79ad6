import bottle

app = bottle.Bottle()


@app.get('/')
def hello():
    bottle.response.content_type = 'text/plain'
    return 'Hello World\n'
