package strictyaml

// Nearest is the known name with the fewest edits, if it has at most half as
// many as name has letters.
func Nearest(name string, known []string) string {
	best, bestDistance := "", len(name)/2+1
	for _, k := range known {
		if d := EditDistance(name, k); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// EditDistance counts insertions, deletions, replacements and swaps of
// neighbours, none within another (Damerau 1964, in the restricted form known
// as optimal string alignment), by Wagner and Fischer's table kept three rows at
// a time.
func EditDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
