/** The props of every page of an agent. */
export interface AgentPartProps {
  agent: string
}
