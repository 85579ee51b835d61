// Jobs that share links, simulated by SimGrid: PROGRAM PLATFORM JOBS [--cfg=…].
//
// JOBS: a line `ITERATIONS`, then for each job a line `PROCESSES MESSAGES DRAWS`, the names of its hosts, a line
// `SOURCE TARGET BYTES` for each message, and the seconds that it computes in each iteration. A job computes, sends all
// messages at once and waits for them, until every job has done ITERATIONS. Printed: a line `ITERATIONS SECONDS` a job,
// the mean of what it finished, and the processor seconds that the simulation took.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

struct Message {
  int source, target;
  double bytes;
};

struct Job {
  std::vector<sg::Host*> hosts;
  std::vector<Message> messages;
  std::vector<double> computes;
  int done = 0;
  double last = 0;
};

int main(int argc, char* argv[]) {
  sg::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  std::ifstream in(argv[2]);
  int iterations, processes, messages, draws;
  in >> iterations;
  std::vector<Job> jobs;
  while (in >> processes >> messages >> draws) {
    Job job;
    for (int i = 0; i < processes; i++) {
      std::string name;
      in >> name;
      job.hosts.push_back(engine.host_by_name(name));
    }
    job.messages.resize(messages);
    for (Message& m : job.messages)
      in >> m.source >> m.target >> m.bytes;
    job.computes.resize(draws);
    for (double& seconds : job.computes)
      in >> seconds;
    jobs.push_back(job);
  }
  size_t left = jobs.size();
  clock_t began = std::clock();
  for (Job& job : jobs) {
    sg::Actor::create("job", job.hosts[0], [&, iterations] {
      for (;;) {
        if (job.done >= (int)job.computes.size()) {
          fprintf(stderr, "more iterations than draws\n");
          std::_Exit(1);
        }
        sg::this_actor::sleep_for(job.computes[job.done]);
        std::vector<sg::CommPtr> comms;
        for (const Message& m : job.messages)
          comms.push_back(sg::Comm::sendto_async(job.hosts[m.source], job.hosts[m.target], (uint64_t)m.bytes));
        for (const sg::CommPtr& comm : comms)
          comm->wait();
        job.last = sg::Engine::get_clock();
        if (++job.done != iterations || --left > 0)
          continue;
        double took = (std::clock() - began) / (double)CLOCKS_PER_SEC;
        for (const Job& job : jobs)
          printf("%d %.12g\n", job.done, job.last / job.done);
        printf("%.6f\n", took);
        fflush(stdout);
        // What is still being sent does not matter.
        std::_Exit(0);
      }
    });
  }
  engine.run();
  return 1;
}
