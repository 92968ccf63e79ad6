package charts

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	update   = flag.Bool("update", false, "write the golden files anew")
	pictures = flag.String("pictures", "", "folder to write pictures in full size to, for looking at")
)

// golden compares got with testdata/name, or writes it there with -update. A
// test that fails leaves what it got beside the golden file, as name with
// ".actual" before its extension.
func golden(t *testing.T, name string, got []byte, same func(t *testing.T, got, want []byte) bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	ext := filepath.Ext(path)
	actual := strings.TrimSuffix(path, ext) + ".actual" + ext
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test ./charts -update", err)
	}
	if same(t, got, want) {
		return
	}
	if err := os.WriteFile(actual, got, 0o644); err != nil {
		t.Error(err)
	}
	t.Errorf("%s differs: look at %s, and run go test ./charts -update when it is right", path, actual)
}

func sameText(t *testing.T, got, want []byte) bool {
	t.Helper()
	if bytes.Equal(got, want) {
		return true
	}
	t.Logf("got:\n%s", got)
	return false
}

// Rounding differs between processors at the edges of letters and lines, so
// pictures may differ a little in many pixels and much in a few.
const (
	channelTolerance = 24    // of 255
	pixelTolerance   = 0.002 // share of pixels beyond channelTolerance
)

func samePicture(t *testing.T, got, want []byte) bool {
	t.Helper()
	a, b := decode(t, got), decode(t, want)
	if a.Bounds() != b.Bounds() {
		t.Logf("got %v, want %v", a.Bounds(), b.Bounds())
		return false
	}
	different := 0
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if far(a, b, x, y) {
				different++
			}
		}
	}
	share := float64(different) / float64(a.Bounds().Dx()*a.Bounds().Dy())
	if share > pixelTolerance {
		t.Logf("%.2f %% of the pixels differ", share*100)
		return false
	}
	return true
}

func far(a, b image.Image, x, y int) bool {
	r1, g1, b1, _ := a.At(x, y).RGBA()
	r2, g2, b2, _ := b.At(x, y).RGBA()
	for _, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2)} {
		if d>>8 > channelTolerance || -d>>8 > channelTolerance {
			return true
		}
	}
	return false
}

func decode(t *testing.T, file []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}
