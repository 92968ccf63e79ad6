//go:build ignore

// For Echo 5 and later.
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/labstack/echo/v5"
)

func main() {
	e := echo.New()
	e.GET("/", func(c *echo.Context) error {
		return c.String(http.StatusOK, "Hello World\n")
	})
	log.Fatal(e.Start("127.0.0.1:" + os.Getenv("PORT")))
}
