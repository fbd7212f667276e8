// A program that is busy for ever with the first thing it is told.

process.stdin.on('data', () => {
  for (;;) continue
})
