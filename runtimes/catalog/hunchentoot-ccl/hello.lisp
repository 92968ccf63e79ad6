;; Loading this file makes the program /opt/hello/server.
(require "asdf")
(push :hunchentoot-no-ssl *features*)
(asdf:load-system "hunchentoot")

(hunchentoot:define-easy-handler (hello :uri "/") ()
  (setf (hunchentoot:content-type*) "text/plain")
  (format nil "Hello World~%"))

(defun serve ()
  (hunchentoot:start
   (make-instance 'hunchentoot:easy-acceptor
                  :address "127.0.0.1"
                  :port (parse-integer (uiop:getenv "PORT"))
                  :access-log-destination nil
                  :taskmaster (make-instance 'hunchentoot:one-thread-per-connection-taskmaster
                                             :max-thread-count 900
                                             :max-accept-count 1000)))
  (loop (sleep 3600)))

(setf uiop:*image-entry-point* #'serve)
(uiop:dump-image "/opt/hello/server" :executable t)
