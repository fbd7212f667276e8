import { lookUpModes } from '../knowledge-names.ts'
import { callReasons, errorCodes } from '../log.ts'
import { environments } from '../scopes.ts'
import { channels } from '../sessions.ts'
import { otherValue, waitBucketsS, type Metric } from './metric.ts'

const env = environments

/** The steps of a spoken turn, in order, as the log's `metrics` entry of the turn names them with `_ms`. */
export const turnSteps = [
  'transcript',
  'turn_end',
  'knowledge',
  'first_token',
  'first_clause',
  'first_audio',
  'heard',
] as const

export const callMetrics = [
  {
    name: 'switchroom_calls_live',
    type: 'gauge',
    unit: 'count',
    labels: { channel: channels, env },
    help: 'Calls that this process runs now',
    parts: ['gateway', 'worker'],
    measured:
      "A gateway counts the written calls that it runs, a worker the spoken ones: the sum is all calls of the platform. Calls of an org's own worker are not in it.",
    panel: { dashboard: 'calls', title: 'Live calls', by: ['channel', 'env'], over: 'sum' },
  },
  {
    name: 'switchroom_calls_ended_total',
    type: 'counter',
    unit: 'count',
    labels: { env, reason: [...callReasons, 'dial_failed', otherValue] },
    help: 'Calls that ended, by the reason in their log',
    parts: ['gateway'],
    measured: 'The gateway that stored the call.ended entry counts it.',
    panel: { dashboard: 'calls', title: 'Calls ended, by reason', by: ['reason'] },
  },
  {
    name: 'switchroom_turns_total',
    type: 'counter',
    unit: 'count',
    labels: { env, who: ['caller', 'agent'] },
    help: 'Messages of callers and of agents in call logs',
    parts: ['gateway'],
    measured: 'The gateway that stored the user.message or agent.message entry counts it.',
    panel: { dashboard: 'calls', title: 'Turns', by: ['who'] },
  },
  {
    name: 'switchroom_turn_latency_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: { env, step: turnSteps },
    help: 'From the end of what the caller said to each step of the answer; heard is the first sound that they hear',
    parts: ['gateway'],
    measured:
      'A worker of the platform writes it into the log at the end of each spoken turn; the gateway that stored the entry counts it.',
    buckets: waitBucketsS,
    panel: { dashboard: 'calls', title: 'Turn latency since the caller fell silent', by: ['step'] },
  },
  {
    name: 'switchroom_interruptions_total',
    type: 'counter',
    unit: 'count',
    labels: { env },
    help: 'Times that a caller interrupted the agent',
    parts: ['gateway'],
    measured: 'The gateway that stored the bot.interrupted entry counts it.',
    panel: { dashboard: 'calls', title: 'Interruptions', by: ['env'] },
  },
  {
    name: 'switchroom_tool_calls_total',
    type: 'counter',
    unit: 'count',
    labels: { env, outcome: ['ok', 'failed', 'unanswered'] },
    help: 'Tool calls of models by what became of them; unanswered: the app did not answer in time',
    parts: ['gateway'],
    measured: 'The gateway that stored the tool.result entry counts it.',
    panel: { dashboard: 'calls', title: 'Tool calls, by outcome', by: ['outcome'] },
  },
  {
    name: 'switchroom_knowledge_lookups_total',
    type: 'counter',
    unit: 'count',
    labels: { env, mode: lookUpModes, outcome: ['found', 'nothing', 'late', 'failed'] },
    help: 'Look-ups of calls in knowledge bases by what became of them; late: the turn went on without',
    parts: ['gateway'],
    measured:
      'The gateway that stored the knowledge.found entry of a call of the platform counts it, without entries about bases that are not looked up.',
    panel: { dashboard: 'calls', title: 'Look-ups in knowledge bases', by: ['mode', 'outcome'] },
  },
  {
    name: 'switchroom_knowledge_lookup_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: { env, part: ['all', 'waited'] },
    help: 'How long a look-up for a turn took (all), and how much of it the turn waited (waited)',
    parts: ['gateway'],
    measured:
      'The gateway that stored the knowledge.found entry of a turn of the platform counts it. A late one counts with its deadline.',
    buckets: waitBucketsS,
    panel: { dashboard: 'calls', title: 'Look-ups for turns', by: ['part'] },
  },
  {
    name: 'switchroom_call_errors_total',
    type: 'counter',
    unit: 'count',
    labels: { env, code: [...errorCodes, otherValue] },
    help: 'Error entries in call logs, by their code',
    parts: ['gateway'],
    measured: 'The gateway that stored the error entry counts it.',
    panel: { dashboard: 'calls', title: 'Errors in calls, by code', by: ['code'] },
  },
] as const satisfies readonly Metric[]

/** A vendor that is not installed here, such as an org's own model endpoint, is counted as other. */
const vendor = 'the installed vendors, and other'

export const vendorMetrics = [
  {
    name: 'svc_vendor_failing',
    type: 'gauge',
    unit: 'count',
    labels: { vendor },
    help: '1 for a vendor over the error line, 0 otherwise',
    parts: ['gateway'],
    measured: 'Each gateway judges by the calls that it saw in the last minutes (SVC_VENDOR_WINDOW_S).',
    panel: { dashboard: 'vendors', title: 'Vendors over the error line', by: ['vendor'], over: 'max' },
  },
  {
    name: 'switchroom_vendor_errors_total',
    type: 'counter',
    unit: 'count',
    labels: { stage: ['llm', 'stt', 'tts'], vendor },
    help: 'Failures and timeouts of vendors in calls of the platform',
    parts: ['gateway'],
    measured: 'The gateway that stored the error entry which names the vendor counts it.',
    panel: { dashboard: 'vendors', title: 'Vendor errors', by: ['stage', 'vendor'] },
  },
  {
    name: 'switchroom_vendor_switches_total',
    type: 'counter',
    unit: 'count',
    labels: { stage: ['llm', 'stt', 'tts'], vendor, state: ['down', 'back'] },
    help: 'Times that a call left a vendor that failed (down) or returned to it (back)',
    parts: ['gateway'],
    measured: 'The gateway that stored the vendor.switched entry counts it.',
    panel: { dashboard: 'vendors', title: 'Vendor switches', by: ['stage', 'vendor', 'state'] },
  },
  {
    name: 'switchroom_vendor_latency_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: { stage: ['llm', 'tts'], vendor },
    help: "A model's time to its first word (llm), a voice's to its first sound (tts)",
    parts: ['gateway'],
    measured:
      'The gateway that stored the metrics entry of the stage counts it, for written and spoken calls.',
    buckets: waitBucketsS,
    panel: { dashboard: 'vendors', title: 'Vendor latency', by: ['stage', 'vendor'] },
  },
] as const satisfies readonly Metric[]
