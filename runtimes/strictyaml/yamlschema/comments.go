package yamlschema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// Comments are those of Go types and their fields, each on one line, by "Type"
// and "Type.Field".
type Comments map[string]string

// ReadComments reads the comments in the Go files of a folder, tests left out.
func ReadComments(folder string) (Comments, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	comments := Comments{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
				comments.add(decl)
			}
		}
	}
	return comments, nil
}

func (c Comments) add(decl *ast.GenDecl) {
	for _, s := range decl.Specs {
		spec := s.(*ast.TypeSpec)
		c[spec.Name.Name] = paragraph(decl.Doc, spec.Doc)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range fields.Fields.List {
			for _, name := range field.Names {
				c[spec.Name.Name+"."+name.Name] = paragraph(field.Doc, field.Comment)
			}
		}
	}
}

func paragraph(groups ...*ast.CommentGroup) string {
	var text []string
	for _, g := range groups {
		text = append(text, strings.Fields(g.Text())...)
	}
	return strings.Join(text, " ")
}
