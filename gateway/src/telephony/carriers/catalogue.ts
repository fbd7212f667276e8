import { twilioNetworks } from '@switchroom/contract/trunk-presets'
import { CatalogueCarrier, type CarrierCatalogue } from '@switchroom/contract/carriers'
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import ipaddr from 'ipaddr.js'
import { Type } from 'typebox'
import { SettingError } from '@switchroom/process/setting-reader'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'

/** What the carrier publishes as the networks that its calls are signalled from. */
const published: CatalogueCarrier[] = [
  {
    kind: 'apicarrier',
    name: 'API carrier',
    how: 'automatic',
    networks: [...twilioNetworks],
  },
]

/** The carriers that the operator admits, in the operator's order. */
export class Catalogue {
  readonly all: readonly CatalogueCarrier[]
  /** Whether the platform has an account to buy numbers on. */
  readonly sells: boolean

  /** Whether carriers have a name to send calls of an environment to. */
  readonly receives: CarrierCatalogue['receives']

  constructor({
    carriersFile,
    ownCarrier,
    sipNames,
  }: Pick<TelephonySettings, 'carriersFile' | 'ownCarrier' | 'sipNames'>) {
    this.all = carriersFile === undefined ? published : readCatalogue(carriersFile)
    this.sells = ownCarrier !== undefined
    this.receives = {
      sandbox: sipNames.sandbox !== undefined,
      production: sipNames.production !== undefined,
    }
  }

  get first(): CatalogueCarrier | undefined {
    return this.all[0]
  }

  networksOf(kind: string): string[] | undefined {
    return this.all.find((carrier) => carrier.kind === kind)?.networks
  }

  read(): CarrierCatalogue {
    return { carriers: [...this.all], sells: this.sells, receives: this.receives }
  }
}

const kindForm = /^[a-z0-9][a-z0-9_-]{0,30}$/
/** Used in the names of fences for what is no carrier of the catalogue. */
const reserved = new Set(['sip', 'own'])

function readCatalogue(file: string): CatalogueCarrier[] {
  const document = parsed(file)
  const isCatalogue = new Ajv({ strict: false }).compile<CatalogueCarrier[]>(Type.Array(CatalogueCarrier))
  if (!isCatalogue(document)) {
    const first = isCatalogue.errors?.[0]
    throw broken(file, `${first?.instancePath.slice(1).replaceAll('/', '.')} ${first?.message}`)
  }
  const kinds = document.map(({ kind }) => kind)
  for (const { kind, networks } of document) {
    if (!kindForm.test(kind) || reserved.has(kind)) throw broken(file, `${kind} is no kind`)
    if (kinds.indexOf(kind) !== kinds.lastIndexOf(kind)) throw broken(file, `${kind} is there twice`)
    if (networks.length === 0) throw broken(file, `${kind} has no network`)
    const wrong = networks.find((network) => !isNetwork(network))
    if (wrong !== undefined) throw broken(file, `${wrong} of ${kind} is not an IPv4 network`)
  }
  return document
}

/** The operator may name any network, private ones too, but not the whole internet by a slip. */
function isNetwork(written: string): boolean {
  const [address = '', bits = '32', ...more] = written.split('/')
  if (more.length > 0 || !ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  if (!/^(?:[89]|[12]\d|3[0-2])$/.test(bits)) return false
  return ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`).toString() === address
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw broken(file, error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read')
  }
}

const broken = (file: string, why: string) =>
  new SettingError(`the carriers of ${file} cannot be used: ${why.trim()}; SVC_CARRIERS_FILE names the file`)
