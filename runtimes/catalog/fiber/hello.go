//go:build ignore

// For Fiber 1.
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber"
)

func main() {
	app := fiber.New(&fiber.Settings{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) {
		c.SendString("Hello World\n")
	})
	log.Fatal(app.Listen("127.0.0.1:" + os.Getenv("PORT")))
}
