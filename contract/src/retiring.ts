import type { Config } from './settings.ts'
import { stages, type Stage } from './stages.ts'

/** So long before a vendor switches a model off, the catalogue, the console and `svc doctor` warn. */
export const warnedDaysAhead = 60

/** A model that its vendor switches off within sixty days, or has switched off. */
export interface RetiringModel {
  stage: Stage
  model: string
  /** The day, as YYYY-MM-DD. */
  on: string
}

interface Vendors {
  providers: readonly { name: string; does: readonly Stage[]; retiring?: readonly RetiringModel[] }[]
  defaults: Readonly<Record<Stage, string>>
  models: Readonly<Record<string, readonly string[]>>
}

export interface RetiringInUse extends RetiringModel {
  vendor: string
}

/** The models that an agent with these settings runs on and that retire soon. */
export function retiringInUse(catalogue: Vendors, config: Config): RetiringInUse[] {
  return stages.flatMap((stage) => {
    const { vendor, model } = inUse(catalogue, stage, config)
    const retiring = catalogue.providers.find(({ name }) => name === vendor)?.retiring ?? []
    return retiring
      .filter((found) => found.stage === stage && found.model === model)
      .map((found) => ({ vendor, ...found }))
  })
}

function inUse(catalogue: Vendors, stage: Stage, config: Config): { vendor: string; model: string } {
  const byDefault = read(catalogue, stage, catalogue.defaults[stage], '')
  const set = config[stage]
  const named = set === undefined ? byDefault : read(catalogue, stage, set, byDefault.vendor)
  const model = stage === 'tts' ? config.tts_model : undefined
  return { ...named, ...(model !== undefined && { model }) }
}

/** `vendor/model`, a vendor, or a model of the vendor in use. */
function read({ providers, models }: Vendors, stage: Stage, word: string, vendorInUse: string) {
  const slash = word.indexOf('/')
  if (slash >= 0) return { vendor: word.slice(0, slash), model: word.slice(slash + 1) }
  const isVendor =
    vendorInUse === '' || providers.some(({ name, does }) => name === word && does.includes(stage))
  return isVendor
    ? { vendor: word, model: models[`${stage}/${word}`]?.[0] ?? '' }
    : { vendor: vendorInUse, model: word }
}

/** One sentence for people. */
export const retirementOf = ({ vendor, model, on }: Omit<RetiringInUse, 'stage'>, today = new Date()) =>
  on > today.toISOString().slice(0, 10)
    ? `${vendor} switches ${model} off on ${on}.`
    : `${vendor} switched ${model} off on ${on}.`
