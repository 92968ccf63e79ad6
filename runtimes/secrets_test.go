package runtimes

import "testing"

func TestWithoutSecrets(t *testing.T) {
	t.Setenv("CI_JOB_TOKEN", "glcbt-0123456789")
	t.Setenv("HTTPS_PROXY", "http://me:pr0xypass@proxy.test:3128")
	t.Setenv("GOPROXY", "https://tokentoken@mirror.test,https://u:mirrorpass@other.test|direct")
	t.Setenv("SHORT_TOKEN", "true")
	t.Setenv("TOKEN_FILE", "/run/secrets/token")
	for in, want := range map[string]string{
		"nothing to see":                          "nothing to see",
		"GET https://u:p@x.test/a?b=c":            "GET https://***@x.test/a?b=c",
		"GET https://ghp_token@x.test/":           "GET https://***@x.test/",
		"https://u:p@ss@x.test/":                  "https://***@x.test/",
		"ssh://git@x.test/a and ssh://u:p@x.test": "ssh://git@x.test/a and ssh://***@x.test",
		"https://git@x.test/a":                    "https://git@x.test/a",
		"see https://x.test/@scope/name":          "see https://x.test/@scope/name",
		"mail me@x.test":                          "mail me@x.test",
		"Authorization: Bearer abc.def":           "Authorization: Bearer ***",
		`"authorization": "Basic dXNlcg=="`:       `"authorization": "Basic ***"`,
		"map[Authorization:[Bearer abc] Host:x]":  "map[Authorization:[Bearer ***] Host:x]",
		"{'cookie': ['sid=abc']}":                 "{'cookie': ['***']}",
		"proxy-authorization=abc":                 "proxy-authorization=***",
		"//x.test/:_authToken=npm_abc":            "//x.test/:_authToken=***",
		"password: hunter2, user: me":             "password: ***, user: me",
		"the token is glcbt-0123456789!":          "the token is ***!",
		"pr0xypass mirrorpass tokentoken true":    "*** *** *** true",
		"/run/secrets/token":                      "/run/secrets/token",
		"author: me; authorised":                  "author: me; authorised",
	} {
		if got := WithoutSecrets(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := WithoutSecrets(want); again != want {
			t.Errorf("%q a second time: %q", want, again)
		}
	}
}
