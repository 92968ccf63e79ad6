environment 'production'
bind "tcp://127.0.0.1:#{ENV.fetch('PORT')}"
quiet

# Keep-alive is never cut after a number of requests; releases before Puma 7
# know no such limit.
max_keep_alive Float::INFINITY if respond_to?(:max_keep_alive)
