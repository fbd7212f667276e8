import { diagnose, type Finding } from './doctor-checks.ts'
import type { Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { plain } from '../terminal/text-width.ts'
import { voiceServerOption } from './voice-server.ts'

const marks = { ok: ['green', 'ok'], warning: ['yellow', 'warn'], broken: ['red', 'FAIL'] } as const

const doctor: Command = {
  name: 'doctor',
  summary: 'check the setup and say how to fix it',
  details: 'The exit status is 0, or that of the first check that failed.',
  options: [voiceServerOption],
  examples: ['svc doctor', 'svc doctor --gateway https://switchroom.example --json'],
  async run(invocation) {
    const { out } = invocation
    const findings: Finding[] = []
    for await (const finding of diagnose(invocation)) {
      findings.push(finding)
      if (invocation.isJson) continue
      const [style, mark] = marks[finding.state]
      out.line(`${out.style(style, mark.padEnd(4))}  ${finding.check}: ${plain(finding.says)}`)
      if (finding.fix !== undefined) out.line(`      ${plain(finding.fix)}`)
    }
    if (invocation.isJson)
      out.json({
        findings: findings.map(({ check, state, says, fix = null }) => ({ check, state, says, fix })),
      })
    return findings.find(({ state }) => state === 'broken')?.exitCode ?? exitCodes.done
  },
}

export const doctorCommands = [doctor]
