package runtimes

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// An answer that stands still is given up; one that is slow but comes is not.
func TestAnswersThatStandStillAreGivenUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/never" {
			<-r.Context().Done()
			return
		}
		for range 6 {
			io.WriteString(w, "part ")
			w.(http.Flusher).Flush()
			time.Sleep(100 * time.Millisecond)
		}
		if r.URL.Path == "/half" {
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	client := &http.Client{Transport: stallingTransport{http.DefaultTransport, 400 * time.Millisecond}}
	for path, gives := range map[string]bool{"/never": false, "/half": false, "/slow": true} {
		began := time.Now()
		answer, err := client.Get(server.URL + path)
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			answer.Body.Close()
		}
		_, stalled := errors.AsType[*stallError](err)
		if stalled == gives || gives && err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %v", path, took)
		}
	}
}
