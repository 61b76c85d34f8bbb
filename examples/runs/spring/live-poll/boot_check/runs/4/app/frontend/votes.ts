import { getVotes } from "./api";

getVotes().then((totals) => {
  document.querySelector("output")!.value = `${totals.length} choices`;
});
