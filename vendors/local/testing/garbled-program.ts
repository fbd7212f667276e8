// A program that writes something other than messages, and continues.

process.stdout.write('Hello, world!\n')
process.stdin.resume()
