//go:build ignore

// For Fiber 3 and later.
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v3"
)

func main() {
	app := fiber.New()
	app.Get("/", func(c fiber.Ctx) error {
		return c.SendString("Hello World\n")
	})
	log.Fatal(app.Listen("127.0.0.1:"+os.Getenv("PORT"), fiber.ListenConfig{DisableStartupMessage: true}))
}
