package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var screenshots = flag.String("screenshots", "", "folder to put pictures of the pages in, for looking at")

// browser is a headless Chromium that tells what its pages complain about and
// ask for.
type browser struct {
	context.Context
	mu       sync.Mutex
	problems []string
}

func (b *browser) add(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	switch {
	case program == "" && os.Getenv("VERSWEEP_TEST_BROWSER") != "":
		t.Fatal("VERSWEEP_TEST_BROWSER is set, and there is no Chromium")
	case program == "":
		t.Skip("there is no Chromium to open the pages in: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	tab, closeTab := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(tab, 5*time.Minute)
	t.Cleanup(func() {
		chromedp.Cancel(tab) // waits for the program to end
		cancel()
		closeTab()
		stop()
	})
	b := &browser{Context: ctx}
	listening := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.add("exception: %s", e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.add("console: %s", e.Type)
		case *log.EventEntryAdded:
			b.add("log: %s %s", e.Entry.Text, e.Entry.URL)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "data:") {
				b.add("asks for %s", u)
			}
		}
	})
	if listening != nil {
		t.Fatal("starting Chromium: ", listening)
	}
	_, logs := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	_, requests := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	if err := errors.Join(logs, requests); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		t.Fatal(err)
	}
}

// tell evaluates a script, whose result must be a string.
func (b *browser) tell(t *testing.T, script string) string {
	t.Helper()
	got, err := chromedp.Run(b, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (b *browser) want(t *testing.T, what, script, want string) {
	t.Helper()
	if got := b.tell(t, script); !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q in it", what, got, want)
	}
}

// colours makes the system light or dark.
func (b *browser) colours(t *testing.T, scheme string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
}

// choose picks a metric as a reader would.
func (b *browser) choose(t *testing.T, metric string) {
	t.Helper()
	b.do(t, chromedp.SetValue(chromedp.CSS("#trend-metric"), metric))
	b.tell(t, "document.getElementById('trend-metric').dispatchEvent(new Event('change'))")
}

func TestPagesInBrowser(t *testing.T) {
	b := openBrowser(t)
	dir := filepath.Join(t.TempDir(), "report with space")
	if err := Write(dir, filesOf(t, testSite())); err != nil {
		t.Fatal(err)
	}
	at := func(name string) chromedp.Action[chromedp.Void] {
		return chromedp.Navigate("file://" + strings.ReplaceAll(filepath.Join(dir, name), " ", "%20"))
	}
	for _, colours := range []string{"light", "dark"} {
		for name, page := range map[string]string{
			"overview": "index.html", "target": "node/index.html", "version": "node/version-14.5.0.html", "failed": "node/version-14.3.0.html",
			"comparison": "node/newest-and-before.html", "method": "method.html", "small": "bun/index.html",
		} {
			for _, wide := range []int64{800, 1280, 360} {
				b.colours(t, colours)
				b.do(t, chromedp.EmulateViewport(wide, 900), at(page), chromedp.WaitVisible[chromedp.CSS]("h1"))
				if over := b.tell(t, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
					t.Errorf("%s is %s pixels wider than a window of %d", page, over, wide)
				}
				if *screenshots != "" {
					b.picture(t, fmt.Sprintf("%s-%s-%d.png", name, colours, wide))
				}
			}
		}
		want := map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 29)"}[colours]
		b.want(t, "background in "+colours, "getComputedStyle(document.body).backgroundColor", want)
	}

	b.colours(t, "light")
	b.do(t, chromedp.EmulateViewport(1280, 900), at("node/index.html"), chromedp.WaitVisible[chromedp.CSS]("#trend svg"))
	b.want(t, "colours", "document.getElementById('theme').textContent", "automatic")
	b.do(t, chromedp.Click[chromedp.CSS]("#theme"), chromedp.Click[chromedp.CSS]("#theme"))
	b.want(t, "dark by the switch", "getComputedStyle(document.body).backgroundColor", "rgb(21, 24, 29)")
	b.do(t, chromedp.Click[chromedp.CSS]("#theme"))
	b.want(t, "automatic again", "getComputedStyle(document.body).backgroundColor", "rgb(255, 255, 255)")

	t.Run("hover", func(t *testing.T) {
		b.do(t, chromedp.ScrollIntoView[chromedp.CSS]("#trend-picture"))
		b.hover(t, 2)
		b.want(t, "tip", "document.getElementById('trend-tip').textContent", "14.2.0")
		b.want(t, "tip", "document.getElementById('trend-tip').textContent", "n=6")
		b.hover(t, 3)
		b.want(t, "failed", "document.getElementById('trend-tip').textContent", "no build for linux/amd64")
		if *screenshots != "" {
			b.hover(t, 25)
			b.picture(t, "hover.png")
		}
	})
	t.Run("metric", func(t *testing.T) {
		before := b.tell(t, "document.querySelector('.join').getAttribute('points')")
		b.choose(t, "4")
		b.want(t, "title", "document.querySelector('#trend svg .title').textContent", "Peak memory (MiB)")
		b.want(t, "told", "document.getElementById('trend-status').textContent", "Peak memory, 40 of 40 versions shown")
		if b.tell(t, "document.querySelector('.join').getAttribute('points')") == before {
			t.Error("another metric has the same picture")
		}
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-log"))
		b.want(t, "title", "document.querySelector('#trend svg .title').textContent", "log scale")
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-log"), chromedp.Click[chromedp.CSS]("#trend-zero"))
		b.want(t, "title", "document.querySelector('#trend svg .title').textContent", "not from zero")
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-zero"))
		b.choose(t, "0")
	})
	versions := "document.querySelectorAll('#trend .point').length"
	t.Run("keys", func(t *testing.T) {
		b.do(t, chromedp.Focus[chromedp.CSS]("#trend .point[tabindex='0']"), chromedp.KeyEvent(kb.End))
		b.want(t, "focus", "document.activeElement.getAttribute('aria-label')", "22.7.0")
		b.do(t, chromedp.KeyEvent(kb.ArrowLeft))
		b.want(t, "focus", "document.activeElement.getAttribute('aria-label')", "22.6.0")
		b.want(t, "tip", "document.getElementById('trend-tip').textContent", "22.6.0")
		b.want(t, "tab stops", "document.querySelectorAll('#trend .point[tabindex=\"0\"]').length", "1")
		b.do(t, chromedp.KeyEvent("+"))
		b.want(t, "zoomed", versions, "20")
		b.want(t, "focus stays", "document.activeElement.getAttribute('aria-label')", "22.6.0")
		b.do(t, chromedp.KeyEvent("0"))
		b.want(t, "reset", versions, "40")
		b.do(t, chromedp.KeyEvent(kb.Home))
		b.want(t, "focus", "document.activeElement.getAttribute('aria-label')", "14.0.0")
	})
	t.Run("drag", func(t *testing.T) {
		b.drag(t, 10, 14)
		b.want(t, "zoomed", versions, "5")
		b.want(t, "still here", "location.pathname", "node/index.html")
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-reset"))
		b.want(t, "reset", versions, "40")
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-in"))
		b.want(t, "zoomed", versions, "20")
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-out"))
		b.want(t, "all", versions, "40")
	})
	t.Run("lines", func(t *testing.T) {
		b.do(t, chromedp.Click[chromedp.CSS]("#trend-lines label:nth-of-type(2) input"))
		b.want(t, "without a line", versions, "32")
		b.want(t, "bands", "Array.from(document.querySelectorAll('#trend svg text')).map(e => e.textContent).includes('16.x')", "false")
		b.tell(t, "document.querySelectorAll('#trend-lines button')[1].click()")
		b.want(t, "no line", "document.getElementById('trend-picture').textContent", "No line of releases")
		b.tell(t, "document.querySelectorAll('#trend-lines button')[0].click()")
		b.want(t, "all lines", versions, "40")
	})
	t.Run("links", func(t *testing.T) {
		b.do(t, chromedp.Focus[chromedp.CSS]("#trend .point[tabindex='0']"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible[chromedp.CSS]("nav[aria-label='Neighbouring versions']"))
		b.want(t, "page", "document.querySelector('h1').textContent", "Node.js 22.7.0")
	})
	t.Run("without scripts", func(t *testing.T) {
		if _, err := chromedp.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			t.Fatal(err)
		}
		b.do(t, at("node/index.html"), chromedp.WaitVisible[chromedp.CSS]("noscript img"))
		if *screenshots != "" {
			b.picture(t, "without-scripts.png")
		}
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		t.Error(problem)
	}
}

// picture keeps the whole page.
func (b *browser) picture(t *testing.T, name string) {
	t.Helper()
	png, err := chromedp.Run(b, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// place is where the i-th version stands in the window.
func (b *browser) place(t *testing.T, i int) (x, y float64) {
	t.Helper()
	at, err := chromedp.Run(b, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {
		document.getElementById("trend-picture").scrollIntoView({block: "center"});
		const r = document.querySelectorAll("#trend .point")[%d].getBoundingClientRect();
		const s = document.querySelector("#trend svg").getBoundingClientRect();
		return [r.left + r.width / 2, s.top + s.height * 0.7];
	})()`, i)))
	if err != nil {
		t.Fatal(err)
	}
	return at[0], at[1]
}

func (b *browser) hover(t *testing.T, i int) {
	t.Helper()
	x, y := b.place(t, i)
	b.do(t, chromedp.MouseEvent("mouseMoved", x, y))
}

func (b *browser) drag(t *testing.T, from, to int) {
	t.Helper()
	x, y := b.place(t, from)
	end, _ := b.place(t, to)
	b.do(t, chromedp.MouseEvent("mouseMoved", x, y), chromedp.MouseEvent("mousePressed", x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent("mouseMoved", (x+end)/2, y, chromedp.ButtonLeft), chromedp.MouseEvent("mouseMoved", end, y, chromedp.ButtonLeft),
		chromedp.MouseEvent("mouseReleased", end, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}
