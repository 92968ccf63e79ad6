//go:build ignore

// A value of the query as XML, as the five-servers post asked for it. The value
// is given back as it came: the post's servers did no more.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		if value := r.URL.Query().Get("value"); value != "" {
			io.WriteString(w, "<http_test><value>"+value+"</value></http_test>")
		} else {
			io.WriteString(w, "<http_test><error>no value specified</error></http_test>")
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
