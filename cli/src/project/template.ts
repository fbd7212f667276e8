/** A template of `svc init`: what its project has beside the files that every project has. */
export interface Template {
  /** In the list of templates and in the project's README. */
  summary: string
  /** The agent and its tools, as a module that exports `agent`. */
  agent: (name: string) => string
  /** Its test, which needs no gateway. */
  test: (name: string) => string
  /** More programs of the project, by file name. */
  programs?: (name: string) => Record<string, string>
  /** What the README says beside the usual, one line per command. */
  commands?: (name: string) => string[]
}

/** Settled once, so that every template says it the same way. */
export const noCall = `/** What a tool gets of a call; these tools need none of it. */
const noCall = {} as Call`
