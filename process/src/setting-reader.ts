/** A setting that does not parse: the process exits with status 2 and prints this sentence. */
export class SettingError extends Error {}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Reads one setting; undefined if it is unset or empty. A parser throws a `SettingError` without the setting's name. */
export type ReadSetting = <T>(name: string, parse: (value: string) => T) => T | undefined

export const settingReader =
  (variables: EnvironmentVariables): ReadSetting =>
  (name, parse) => {
    const value = variables[name]?.trim()
    if (!value) return undefined
    try {
      return parse(value)
    } catch (error) {
      throw error instanceof SettingError ? new SettingError(`${name} ${error.message}`) : error
    }
  }

type NamedFields<T> = { [Field in keyof T]: readonly [setting: string, parse: (value: string) => T[Field]] }

/** Settings that only make sense together: all of them, or undefined if none is set. */
export function readAllOrNone<T extends object>(read: ReadSetting, fields: NamedFields<T>): T | undefined {
  const named = Object.entries(fields) as [string, NamedFields<Record<string, unknown>>[string]][]
  const values = named.map(([field, [setting, parse]]) => ({ field, setting, value: read(setting, parse) }))
  const unset = values.filter(({ value }) => value === undefined).map(({ setting }) => setting)
  if (unset.length === values.length) return undefined
  if (unset.length > 0)
    throw new SettingError(
      `${unset.join(' and ')} is not set: set ${values.map(({ setting }) => setting).join(', ')} together, or none of them`,
    )
  return Object.fromEntries(values.map(({ field, value }) => [field, value])) as T
}
