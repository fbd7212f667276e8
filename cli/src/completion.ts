import { globalOptions, type Command, type Option } from './invocation/command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

interface Suggestion {
  word: string
  summary: string
}

/** What may follow the words of a path; the path of the beginning is empty. */
interface Place {
  path: string
  words: Suggestion[]
  options: Option[]
}

type Groups = Readonly<Record<string, string>>

export function completionFor(shell: Shell, commands: readonly Command[], groups: Groups): string {
  const places = placesOf(commands, groups)
  return { bash, zsh, fish }[shell](places)
}

function placesOf(commands: readonly Command[], groups: Groups): Place[] {
  const paths = new Set(
    commands.flatMap(({ name }) => name.split(' ').map((_, at, words) => words.slice(0, at + 1).join(' '))),
  )
  return ['', ...paths].map((path) => {
    const command = commands.find(({ name }) => name === path)
    const depth = path === '' ? 0 : path.split(' ').length
    const next = [...paths].filter(
      (each) => each.split(' ').length === depth + 1 && each.startsWith(path === '' ? '' : `${path} `),
    )
    return {
      path,
      words: next.map((each) => ({
        word: each.split(' ').at(-1) ?? '',
        summary: groups[each] ?? commands.find(({ name }) => name === each)?.summary ?? '',
      })),
      options: [...(command?.options ?? []), ...globalOptions],
    }
  })
}

const keyOf = ({ path }: Place) => (path === '' ? '' : ` ${path}`)
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const known = (places: readonly Place[]) =>
  places.filter(({ path }) => path !== '').map((place) => quoted(keyOf(place)))
const everyChoice = (places: readonly Place[]) =>
  places.flatMap((place) =>
    place.options.flatMap(({ name, choices }) =>
      choices ? [[quoted(`${keyOf(place)} --${name}`), choices.join(' ')] as const] : [],
    ),
  )

function bash(places: Place[]): string {
  return [
    '# bash completion of svc: eval "$(svc completion bash)"',
    '_svc() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" path="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    `    case "$path $word" in ${known(places).join('|')}) path="$path $word";; esac`,
    '  done',
    '  case "$path $before" in',
    ...everyChoice(places).map(
      ([word, choices]) => `    ${word}) COMPREPLY=($(compgen -W ${quoted(choices)} -- "$cur")); return;;`,
    ),
    '  esac',
    '  case "$path" in',
    ...places.map((place) => {
      const all = [...place.words.map(({ word }) => word), ...place.options.map(({ name }) => `--${name}`)]
      return `    ${quoted(keyOf(place))}) words=${quoted(all.join(' '))};;`
    }),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _svc svc',
  ].join('\n')
}

function zsh(places: Place[]): string {
  const described = (word: string, summary: string) => quoted(`${word}:${summary.replaceAll(':', '\\:')}`)
  return [
    '#compdef svc',
    '# zsh completion of svc: source <(svc completion zsh)',
    '_svc() {',
    '  local path="" word',
    '  local -a found',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    `    case "$path $word" in (${known(places).join('|')}) path="$path $word";; esac`,
    '  done',
    '  case "$path $words[CURRENT-1]" in',
    ...everyChoice(places).map(([word, choices]) => `    (${word}) compadd ${choices}; return;;`),
    '  esac',
    '  case "$path" in',
    ...places.map((place) => {
      const words = place.words.map(({ word, summary }) => described(word, summary))
      const options = place.options.map(({ name, summary }) => described(`--${name}`, summary))
      return `    (${quoted(keyOf(place))}) found=(${[...words, ...options].join(' ')});;`
    }),
    '  esac',
    "  _describe -o 'svc' found || _files",
    '}',
    'compdef _svc svc',
  ].join('\n')
}

function fish(places: Place[]): string {
  return [
    '# fish completion of svc: svc completion fish | source',
    'function __svc_path',
    "  set -l path ''",
    '  for word in (commandline -opc)[2..-1]',
    '    switch "$path $word"',
    `      case ${known(places).join(' ')}`,
    '        set path "$path $word"',
    '    end',
    '  end',
    '  echo -n -- $path',
    'end',
    ...places.flatMap((place) => {
      const here = `complete -c svc -n 'test "$(__svc_path)" = "${keyOf(place)}"'`
      return [
        ...place.words.map(({ word, summary }) => `${here} -f -a ${word} -d ${quoted(summary)}`),
        ...place.options.map(({ name, summary, value, choices }) => {
          const takes = choices ? ` -x -a ${quoted(choices.join(' '))}` : value === undefined ? '' : ' -r'
          return `${here} -l ${name}${takes} -d ${quoted(summary)}`
        }),
      ]
    }),
  ].join('\n')
}
