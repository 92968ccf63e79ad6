//go:build ignore

// For Echo 1.
package main

import (
	"net/http"
	"os"

	"github.com/labstack/echo"
)

func main() {
	e := echo.New()
	e.Get("/", func(c *echo.Context) error {
		return c.String(http.StatusOK, "Hello World\n")
	})
	e.Run("127.0.0.1:" + os.Getenv("PORT"))
}
