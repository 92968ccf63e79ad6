//go:build ignore

// For Fiber 2.
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v2"
)

func main() {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		return c.SendString("Hello World\n")
	})
	log.Fatal(app.Listen("127.0.0.1:" + os.Getenv("PORT")))
}
