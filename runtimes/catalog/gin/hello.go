//go:build ignore

package main

import (
	"log"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
)

func main() {
	// gin.Default without its access log, which would measure the log.
	router := gin.New()
	router.Use(gin.Recovery())
	router.GET("/", func(c *gin.Context) {
		c.String(http.StatusOK, "Hello World\n")
	})
	log.Fatal(router.Run("127.0.0.1:" + os.Getenv("PORT")))
}
