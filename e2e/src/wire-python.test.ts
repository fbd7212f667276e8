import { test } from 'node:test'
import { join } from 'node:path'
import { pythonEnvironment } from '@switchroom/tools/python-environment'
import { root } from '@switchroom/tools/test-files'
import { callCases } from './wire/call-cases.ts'
import { connectionCases } from './wire/connection-cases.ts'
import { requestCases } from './wire/request-cases.ts'
import { textCases } from './wire/text-cases.ts'
import { toolCases } from './wire/tool-cases.ts'
import { WireDriver } from './wire/wire-driver.ts'
import { wireSuite } from './wire/wire-suite.ts'

const found = await pythonEnvironment(join(root, 'python/testing/requirements.txt'))
const environment = { PYTHONPATH: join(root, 'python/src'), PYTHONDONTWRITEBYTECODE: '1' }
const program = join(root, 'python/testing/wire_driver.py')

const cases = [...connectionCases, ...toolCases, ...textCases, ...callCases, ...requestCases]
if (found.missing !== false) test('Python: the wire cases', { skip: found.missing }, () => {})
else await wireSuite('Python', cases, () => new WireDriver(found.python, ['-X', 'dev', program], environment))
