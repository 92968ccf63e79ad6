package runtimes

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
)

// form is what a part of target.yaml may hold. It is read off the Go types, so
// that what is checked, what is suggested and what the published JSON schema
// says are one thing and follow the types by themselves. The comments of the
// types and fields are what the schema says about the keys.
type form struct {
	kind   formKind
	name   string    // of a mapping: the Go type
	keys   []formKey // of a mapping, in the order of the Go fields
	of     *form     // of a list's items or a table's values
	values []string  // of a text that is one of a few
}

type formKind string

// The words with which a kind is told to people.
const (
	formMapping  formKind = "keys with values"
	formTable    formKind = "names with values" // the names are the user's
	formList     formKind = "a list"
	formText     formKind = "text"
	formNumber   formKind = "a whole number"
	formFlag     formKind = "true or false"
	formDuration formKind = "a time such as 10s"
)

// formKey is one key of a mapping.
type formKey struct {
	name  string
	form  *form
	owner string // the Go type that has the field,
	field string // and the field's name
}

// definitionForm is the form of a whole target.yaml.
func definitionForm() *form { return formOf(reflect.TypeFor[Definition]()) }

// formOf panics on a type that target.yaml has no form for: a mistake in this
// package that any test shows.
func formOf(t reflect.Type) *form {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return &form{kind: formDuration}
	case reflect.TypeFor[sweep.LineBy]():
		return &form{kind: formText, values: []string{string(sweep.LineByMajor), string(sweep.LineByMinor)}}
	case reflect.TypeFor[Resolve]():
		return &form{kind: formText, values: []string{string(ResolveToday), string(ResolveRelease)}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return formOf(t.Elem())
	case reflect.Struct:
		return &form{kind: formMapping, name: t.Name(), keys: keysOf(t)}
	case reflect.Map:
		return &form{kind: formTable, of: formOf(t.Elem())}
	case reflect.Slice:
		return &form{kind: formList, of: formOf(t.Elem())}
	case reflect.String:
		return &form{kind: formText}
	case reflect.Int:
		return &form{kind: formNumber}
	case reflect.Bool:
		return &form{kind: formFlag}
	}
	panic(fmt.Sprintf("target.yaml has no form for Go type %v", t))
}

func keysOf(t reflect.Type) []formKey {
	var keys []formKey
	for i := range t.NumField() {
		field := t.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			keys = append(keys, keysOf(field.Type)...)
		case name != "" && name != "-":
			keys = append(keys, formKey{name: name, form: formOf(field.Type), owner: t.Name(), field: field.Name})
		}
	}
	return keys
}

func (f *form) key(name string) (formKey, bool) {
	i := slices.IndexFunc(f.keys, func(k formKey) bool { return k.name == name })
	if i < 0 {
		return formKey{}, false
	}
	return f.keys[i], true
}

func (f *form) names() []string {
	names := make([]string, len(f.keys))
	for i, k := range f.keys {
		names[i] = k.name
	}
	return names
}

// homes lists where in f a key of this name belongs, as "sources[].npm": only
// the places nearest to the top, in alphabetical order.
func (f *form) homes(key string) []string {
	var found []string
	nearest := 0
	var look func(f *form, place string, depth int)
	look = func(f *form, place string, depth int) {
		switch f.kind {
		case formMapping:
			for _, k := range f.keys {
				if k.name == key && (len(found) == 0 || depth <= nearest) {
					if depth < nearest {
						found = nil
					}
					found, nearest = append(found, place), depth
				}
				look(k.form, strings.TrimPrefix(place+"."+k.name, "."), depth+1)
			}
		case formList:
			look(f.of, place+"[]", depth)
		case formTable:
			look(f.of, place+".NAME", depth+1)
		}
	}
	look(f, "", 0)
	slices.Sort(found)
	return found
}
