// A program that never finishes its first request.

process.stdin.on('data', () => {
  for (;;) continue
})
