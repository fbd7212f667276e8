import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pip, pythonEnvironment, run } from '@switchroom/tools/python-environment'
import { root } from '@switchroom/tools/test-files'

const found = await pythonEnvironment(join(root, 'python/testing/requirements.txt'))
const skip = found.missing
const python = found.missing === false ? found.python : ''
const folder = mkdtempSync(join(tmpdir(), 'python-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const succeeds = async (command: string, args: readonly string[]) => {
  const ran = await run(command, args, join(root, 'python'))
  assert.ok(ran.ok, `${args.join(' ')}: ${ran.stdout}${ran.stderr}`)
  return ran.stdout
}

test('the tests of the Python SDK itself pass, and no warning comes', { skip }, async () => {
  const { ok, stderr } = await run(
    'env',
    [
      'PYTHONPATH=src',
      'PYTHONDONTWRITEBYTECODE=1',
      python,
      '-W',
      'error',
      '-m',
      'unittest',
      'discover',
      '-s',
      'tests',
    ],
    join(root, 'python'),
  )
  assert.ok(ok, stderr)
  assert.match(stderr, /Ran \d\d tests/)
})

test('mypy --strict finds nothing in the package, its tests and its driver', { skip }, async () => {
  const paths = ['src/switchroom', 'tests', 'testing/wire_driver.py']
  await succeeds(python, ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'mypy'), ...paths])
})

test(
  'the wheel holds the typed package alone, and an empty environment that installs it type-checks a program that uses it',
  { skip },
  async () => {
    const wheels = join(folder, 'wheels')
    await succeeds(python, [...pip, 'wheel', '--no-deps', '--no-build-isolation', '-w', wheels, '.'])
    const [wheel = '', ...others] = readdirSync(wheels)
    assert.deepEqual([wheel, others], ['switchroom-0.1.0-py3-none-any.whl', []])
    const listed = await succeeds(python, ['-m', 'zipfile', '-l', join(wheels, wheel)])
    assert.match(listed, /switchroom\/py\.typed/)
    assert.match(listed, /dist-info\/licenses\/LICENSE/)
    assert.doesNotMatch(listed, /test|driver/)

    const empty = join(folder, 'empty')
    await succeeds(python, ['-m', 'venv', empty])
    const installed = join(empty, 'bin', 'python')
    await succeeds(installed, [...pip, 'install', join(wheels, wheel)])
    await succeeds(installed, [...pip, 'check'])
    const program = join(folder, 'program.py')
    writeFileSync(program, typedProgram)
    assert.equal(await succeeds(installed, ['-W', 'error', program]), '0.1.0 book\n')
    const checked = ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'mypy-of-program')]
    await succeeds(python, [...checked, '--python-executable', installed, program])
  },
)

const typedProgram = `
from typing import TYPE_CHECKING

import switchroom
from switchroom import Agent, Call, tool


@tool
async def book(people: int, call: Call) -> str:
    return f"{people} under {call.from_}"


agent = Agent("desk", tools=[book])


@agent.on("call.ended")
def ended(call: Call, reason: str) -> None:
    call.say(reason)


if TYPE_CHECKING:  # strict mypy refuses an ignore that hides no error
    agent.on(7)  # type: ignore[call-overload]
    Agent(7)  # type: ignore[arg-type]
print(switchroom.__version__, book.name)
`
