/** What every part of an agent's page is given. */
export interface AgentPartProps {
  agent: string
}
