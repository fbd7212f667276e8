// A program that says something other than messages, and goes on.

process.stdout.write('Hello, world!\n')
process.stdin.resume()
