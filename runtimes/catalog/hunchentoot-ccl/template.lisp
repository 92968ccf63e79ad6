;; Loading this file makes the program /opt/hello/server.
(require "asdf")
(push :hunchentoot-no-ssl *features*)
(asdf:load-systems "hunchentoot" "cl-mustache")

;; The template is read once; every request fills it in anew.
(defparameter *top* (mustache:compile-template (uiop:read-file-string "/opt/hello/top.mustache")))

(hunchentoot:define-easy-handler (top :uri "/top") ()
  (setf (hunchentoot:content-type*) "text/html")
  (with-output-to-string (page)
    (funcall *top* '((:greeting . "Hello, World!")) page)))

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
