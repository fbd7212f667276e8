import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterwards, temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { encodeG711 } from '@switchroom/audio/g711'
import { pathOf } from '@switchroom/tools/debian-packages'
import { joined, silence } from './spoken-fixture.ts'

const callId = 'call-of-sipp'
/** A phone sends silence while its person says nothing. */
const silentSeconds = 60

/**
 * sipp, which knows nothing of us, on the phone. It cannot hear, so that it is prompted: by messages that it takes for
 * some of its call, each with the number of the recording that it is to play.
 */
export class SippCaller {
  readonly #child: ChildProcess
  readonly #port: number
  readonly #closed: Promise<unknown>
  #prompts = 0
  #output = ''

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
    this.#closed = once(child, 'close')
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (this.#output += String(chunk)))
  }

  /** Calls, with these recordings to play. */
  static async call(
    t: Lasting,
    called: string,
    sipPort: number,
    recordings: readonly Int16Array[],
  ): Promise<SippCaller> {
    const folder = temporaryFolder(t)
    for (const [at, recording] of [silence(0), ...recordings].entries()) {
      const samples = joined(recording, silence(silentSeconds))
      const sound = new Uint8Array(samples.length)
      encodeG711('PCMU', samples, sound)
      writeFileSync(join(folder, `${at}.ulaw`), sound)
    }
    writeFileSync(join(folder, 'caller.xml'), scenario(recordings.length))
    const port = await freePort()
    const mediaPort = (await freePort()) & ~1
    const options = `-sf caller.xml -s ${called} -cid_str ${callId} -m 1 -i 127.0.0.1 -p ${port} -mp ${mediaPort}`
    const child = spawn(
      pathOf('sipp'),
      [`127.0.0.1:${sipPort}`, ...options.split(' '), '-nostdin', '-aa'], // -aa: it answers whether it is there
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const caller = new SippCaller(child, port)
    afterwards(t, async () => {
      child.kill('SIGKILL')
      await caller.#closed
    })
    return caller
  }

  /** Has it play a recording from its beginning, whatever it plays. */
  play(recording: number): Promise<void> {
    return this.#prompt(recording + 1)
  }

  /** Answers how it found the call. */
  async hangUp(): Promise<{ status: number | null; output: string }> {
    await this.#prompt(0)
    await this.#closed
    return { status: this.#child.exitCode, output: this.#output }
  }

  async #prompt(what: number): Promise<void> {
    this.#prompts += 1
    const message = `MESSAGE sip:sipp@127.0.0.1:${this.#port} SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK-prompt-${this.#prompts}
From: <sip:prompter@127.0.0.1>;tag=prompter
To: <sip:sipp@127.0.0.1:${this.#port}>
Call-ID: ${callId}
CSeq: ${this.#prompts} MESSAGE
Subject: ${what}
Content-Length: 0

`
    const socket = createSocket('udp4')
    socket.send(message.replaceAll('\n', '\r\n'), this.#port, '127.0.0.1', () => socket.close())
    await once(socket, 'close')
  }
}

const headers = (sequence: string) => `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: "sipp" <sip:+15550100199@[local_ip]:[local_port]>;tag=[pid]t[call_number]
To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
Call-ID: [call_id]
CSeq: ${sequence}
Contact: sip:sipp@[local_ip]:[local_port]
Max-Forwards: 70`

const plays = (file: number) => `<action><exec rtp_stream="${file}.ulaw,-1,0,PCMU/8000"/></action>`

/** It waits for a prompt, plays what was asked for, and waits again; a prompt for none hangs up. */
const prompted = (numbers: readonly number[]) => `<label id="100"/>
<recv request="MESSAGE"><action>
<ereg regexp="[0-9]+" search_in="hdr" header="Subject:" assign_to="subject"/>
<todouble assign_to="number" variable="subject"/>
${numbers.map((at) => `<test assign_to="is${at}" variable="number" compare="equal" value="${at}"/>`).join('\n')}
</action></recv>
${numbers.map((at) => `<nop next="${at}" test="is${at}"/>`).join('\n')}
<nop next="101"/>
${numbers.map((at) => `<label id="${at}"/>\n<nop next="100">${plays(at)}</nop>`).join('\n')}
<label id="101"/>`

const scenario = (recordings: number) => `<?xml version="1.0" encoding="ISO-8859-1"?>
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
<nop>${plays(0)}</nop>
${prompted(Array.from({ length: recordings }, (_none, at) => at + 1))}
<send retrans="500"><![CDATA[
BYE [next_url] SIP/2.0
${headers('2 BYE')}
Content-Length: 0

]]></send>
<recv response="200"/>
</scenario>
`
