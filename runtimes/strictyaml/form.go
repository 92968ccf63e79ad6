package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Form is what a part of a file may hold. It is read off the Go types, so
// that what is checked, what is suggested and what a published JSON schema
// says are one thing and follow the types by themselves. The comments of the
// types and fields are what the schema says about the keys.
type Form struct {
	Kind   Kind
	Name   string   // of a mapping: the Go type
	Keys   []Key    // of a mapping, in the order of the Go fields
	Of     *Form    // of a list's items or a table's values
	Values []string // of a text that is one of a few
	Scalar *Scalar  // of a text with a way of writing of its own
}

// Kind is what a value has to be, in the words with which people are told.
type Kind string

const (
	Mapping  Kind = "keys with values"
	Table    Kind = "names with values" // the names are the user's
	List     Kind = "a list"
	Text     Kind = "text"
	Number   Kind = "a whole number"
	Flag     Kind = "true or false"
	Duration Kind = "a time such as 10s"
)

// Key is one key of a mapping.
type Key struct {
	Name  string
	Form  *Form
	Owner string // the Go type that has the field,
	Field string // and the field's name
}

// Scalar is how values of one Go type are written.
type Scalar struct {
	Values []string // the only ones; any when empty

	// Kind says what a value has to be, Hint how it is written; needed where
	// Pattern is.
	Kind Kind
	Hint string
	// Pattern is a regular expression that the whole text has to match, as Go
	// and JSON Schema both read it; any text when empty.
	Pattern string
	// Check tells what Pattern lets through and cannot be taken, such as numbers
	// that are too large; nil when there is nothing like that.
	Check func(text string) bool
	// Numbers takes plain numbers from 0 on as the texts that they are written as.
	Numbers bool
}

// Scalars are the scalars of a kind of file, by the Go type of the values.
type Scalars map[reflect.Type]Scalar

// durationPattern is what time.ParseDuration takes.
const durationPattern = `^[+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`

// FormOf reads the form off a Go type. It panics on a type that YAML has no form
// for here: a mistake of the program that any test shows.
func FormOf(t reflect.Type, scalars Scalars) *Form {
	if s, ok := scalars[t]; ok {
		f := &Form{Kind: Text, Values: s.Values}
		if s.Pattern != "" {
			f.Kind, f.Scalar = s.Kind, &s
		}
		return f
	}
	if t == reflect.TypeFor[time.Duration]() {
		return &Form{Kind: Duration, Scalar: &Scalar{Kind: Duration, Pattern: durationPattern, Hint: "write it with its unit: 500ms, 10s, 2m", Check: func(text string) bool {
			_, err := time.ParseDuration(text)
			return err == nil
		}}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return FormOf(t.Elem(), scalars)
	case reflect.Struct:
		return &Form{Kind: Mapping, Name: t.Name(), Keys: keysOf(t, scalars)}
	case reflect.Map:
		return &Form{Kind: Table, Of: FormOf(t.Elem(), scalars)}
	case reflect.Slice:
		return &Form{Kind: List, Of: FormOf(t.Elem(), scalars)}
	case reflect.String:
		return &Form{Kind: Text}
	case reflect.Int:
		return &Form{Kind: Number}
	case reflect.Bool:
		return &Form{Kind: Flag}
	}
	panic(fmt.Sprintf("there is no form for Go type %v", t))
}

func keysOf(t reflect.Type, scalars Scalars) []Key {
	var keys []Key
	for i := range t.NumField() {
		field := t.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			keys = append(keys, keysOf(field.Type, scalars)...)
		case name != "" && name != "-":
			keys = append(keys, Key{Name: name, Form: FormOf(field.Type, scalars), Owner: t.Name(), Field: field.Name})
		}
	}
	return keys
}

// Key finds a key of a mapping.
func (f *Form) Key(name string) (Key, bool) {
	i := slices.IndexFunc(f.Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return f.Keys[i], true
}

// Every lists the keys of f and of all below it.
func (f *Form) Every() []Key {
	if f.Of != nil {
		return f.Of.Every()
	}
	var all []Key
	for _, k := range f.Keys {
		all = append(append(all, k), k.Form.Every()...)
	}
	return all
}

func (f *Form) names() []string {
	names := make([]string, len(f.Keys))
	for i, k := range f.Keys {
		names[i] = k.Name
	}
	return names
}

// homes lists where in f a key of this name belongs, as "sources[].npm": only
// the places nearest to the top, in alphabetical order.
func (f *Form) homes(key string) []string {
	var found []string
	nearest := 0
	var look func(f *Form, place string, depth int)
	look = func(f *Form, place string, depth int) {
		switch f.Kind {
		case Mapping:
			for _, k := range f.Keys {
				if k.Name == key && (len(found) == 0 || depth <= nearest) {
					if depth < nearest {
						found = nil
					}
					found, nearest = append(found, place), depth
				}
				look(k.Form, strings.TrimPrefix(place+"."+k.Name, "."), depth+1)
			}
		case List:
			look(f.Of, place+"[]", depth)
		case Table:
			look(f.Of, place+".NAME", depth+1)
		}
	}
	look(f, "", 0)
	slices.Sort(found)
	return found
}
