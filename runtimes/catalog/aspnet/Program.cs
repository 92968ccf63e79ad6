var app = WebApplication.CreateBuilder(args).Build();

app.MapGet("/", () => Results.Text("Hello World\n", "text/plain"));

app.Run("http://127.0.0.1:" + Environment.GetEnvironmentVariable("PORT"));
