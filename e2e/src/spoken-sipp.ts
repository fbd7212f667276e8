import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { encodeG711 } from '@switchroom/media/sound/g711'
import { pathOf } from '@switchroom/tools/debian-packages'

/** Has sipp, which knows nothing of us, call and say this, and hang up when it is said. */
export async function callWithSipp(
  t: TestContext,
  called: string,
  sipPort: number,
  says: Int16Array,
): Promise<{ status: number | null; output: string }> {
  const folder = temporaryFolder(t)
  const sound = new Uint8Array(says.length)
  encodeG711('PCMU', says, sound)
  writeFileSync(join(folder, 'says.ulaw'), sound)
  writeFileSync(join(folder, 'caller.xml'), scenario(Math.ceil(says.length / 8)))
  const port = await freePort()
  const mediaPort = (await freePort()) & ~1
  const options = `-sf caller.xml -s ${called} -m 1 -i 127.0.0.1 -p ${port} -mp ${mediaPort} -nostdin -timeout 120s`
  const child = spawn(pathOf('sipp'), [`127.0.0.1:${sipPort}`, ...options.split(' ')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  t.after(() => child.kill('SIGKILL'))
  await once(child, 'close')
  return { status: child.exitCode, output }
}

const headers = (sequence: string) => `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: "sipp" <sip:+15550100199@[local_ip]:[local_port]>;tag=[pid]t[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
Call-ID: [call_id]
CSeq: ${sequence}
Contact: sip:sipp@[local_ip]:[local_port]
Max-Forwards: 70`

const scenario = (durationMs: number) => `<?xml version="1.0" encoding="ISO-8859-1"?>
<scenario name="caller">
<send retrans="500"><![CDATA[
INVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0
${headers('1 INVITE')}
Content-Type: application/sdp
Content-Length: [len]

v=0
o=sipp 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio [rtpstream_audio_port] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
]]></send>
<recv response="100" optional="true"/>
<recv response="180" optional="true"/>
<recv response="200" rrs="true"/>
<send><![CDATA[
ACK [next_url] SIP/2.0
${headers('1 ACK')}
Content-Length: 0

]]></send>
<nop><action><exec rtp_stream="says.ulaw,1,0,PCMU/8000"/></action></nop>
<pause milliseconds="${durationMs}"/>
<send retrans="500"><![CDATA[
BYE [next_url] SIP/2.0
${headers('2 BYE')}
Content-Length: 0

]]></send>
<recv response="200"/>
</scenario>
`
