/** Loaded before every test file: one that something keeps alive after its tests ends here, and fails. */
const mostMs = process.argv[1]?.includes('test-groups') ? 1_800_000 : 600_000
const isTestFile = process.env['NODE_TEST_CONTEXT'] !== undefined // and not the program that runs them all

if (isTestFile)
  setTimeout(() => {
    process.stderr.write(`${process.argv[1]} did not end within ${mostMs / 60_000} minutes\n`)
    process.exit(1)
  }, mostMs).unref()
