package runtimes

import (
	"crypto/sha1" // #nosec: the registry's only hash for packages before 2017
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
)

// ErrIntegrity says that a download is not what its registry has.
var ErrIntegrity = errors.New("integrity mismatch")

// checkDigest compares the file with the registry's hash: "sha512-" and base64
// as in Subresource Integrity, or "sha1-" and hex digits. Of several hashes
// parted by blanks the strongest counts.
func checkDigest(file, digest string) error {
	var h hash.Hash
	var want []byte
	strength := 0
	for one := range strings.FieldsSeq(digest) {
		algorithm, value, _ := strings.Cut(one, "-")
		var next hash.Hash
		rank := 0
		switch algorithm {
		case "sha512":
			next, rank = sha512.New(), 3
		case "sha384":
			next, rank = sha512.New384(), 3
		case "sha256":
			next, rank = sha256.New(), 2
		case "sha1":
			next, rank = sha1.New(), 1
		}
		if rank <= strength {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(value)
		if hexSum, hexErr := hex.DecodeString(value); hexErr == nil && len(hexSum) == next.Size() {
			sum, err = hexSum, nil
		}
		if err != nil {
			return fmt.Errorf("%w: the registry's hash %q cannot be read", ErrIntegrity, one)
		}
		h, want, strength = next, sum, rank
	}
	if h == nil {
		return fmt.Errorf("%w: the registry gives no hash that is known here (%q)", ErrIntegrity, digest)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	if got := h.Sum(nil); string(got) != string(want) {
		return fmt.Errorf("%w: the registry says %x, the download is %x", ErrIntegrity, want, got)
	}
	return nil
}
