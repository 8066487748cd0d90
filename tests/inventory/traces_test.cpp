#include "inventory/traces.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gpushape;

TEST_SUITE("inventory") {
  TEST_CASE("a lifecycle trace becomes arrivals and departures in order of time") {
    const auto trace = inventory::read_trace(
        "arrive_s,depart_s,vm,kind,profile,gpus,nvlink,vcpu,mem_gb\n"
        "40.5,90,a,timeslice,20C,1,0,6,64\n"
        "50,60.25,b,passthrough,,2,1,12,256\n"
        "70,,c,mig,3g.40gb,1,0,4,32\n",
        "trace.csv");
    REQUIRE(trace.has_value());
    const auto& events = std::get<domain::Trace>(*trace).events;
    REQUIRE(events.size() == 5);
    CHECK(events[0].vm == "a");
    CHECK(events[0].request.millicores == 6000);
    CHECK(events[1].request.use == domain::GpuUse::Passthrough);
    CHECK(events[1].request.profile.empty());
    CHECK(events[1].request.needs_links);
    CHECK_FALSE(events[2].is_arrival);
    CHECK(events[2].seconds == doctest::Approx(60.25));
    CHECK(events[3].request.profile == "3g.40gb");
    CHECK(events[4].vm == "a");
  }

  TEST_CASE("instances of services become arrivals and departures of whole GPUs") {
    const auto trace = inventory::read_trace(
        "instance_sn,app_name,cpu_request,gpu_request,memory_request,max_instance_per_node,"
        "creation_time,scheduled_time,deletion_time\n"
        "i0,a,12,1,120.5,8,,,\n"
        "i1,a,12,2,240,-1,30.5,31,90\n",
        "services.csv");
    REQUIRE(trace.has_value());
    const auto& read = std::get<domain::Trace>(*trace);
    REQUIRE(read.events.size() == 3);
    CHECK(read.events[0].vm == "i0");
    CHECK(read.events[0].request.memory_bytes == mib(123'392));  // 120.5 GiB
    CHECK(read.events[1].seconds == doctest::Approx(30.5));
    CHECK(read.events[1].request.gpus == 2);
    CHECK_FALSE(read.events[2].is_arrival);
    CHECK(read.events[0].request.most_per_host == 8);
    CHECK(read.remark.empty());
  }

  TEST_CASE("a task list tells shares and models") {
    const auto trace = inventory::read_trace(
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
        "t0,6000,12288,1,460,T4|A10|T4\n"
        "t1,1000,1024,0,0,\n",
        "tasks.csv");
    REQUIRE(trace.has_value());
    const auto& tasks = std::get<std::vector<domain::SharedTask>>(*trace);
    REQUIRE(tasks.size() == 2);
    CHECK(tasks[0].models == std::vector<std::string>{"A10", "T4"});
    CHECK(tasks[0].gpu_milli == 460);
    CHECK(tasks[1].models.empty());
  }

  TEST_CASE("instances of a service keep to their number a node") {
    const auto trace = inventory::read_trace(
        "instance_sn,app_name,cpu_request,gpu_request,memory_request,max_instance_per_node,"
        "creation_time,deletion_time\n"
        "i-1,app-7,12,1,64,2,,\n"
        "i-2,app-8,12,1,64,-1,5,9\n",
        "services.csv");
    REQUIRE(trace.has_value());
    const auto& events = std::get<domain::Trace>(*trace).events;
    CHECK(events[0].request.group == "app-7");
    CHECK(events[0].request.most_per_host == 2);
    CHECK(events[1].request.group.empty());
    CHECK(events[1].request.most_per_host == 0);
  }

  TEST_CASE("wrong cells are named with their line, and unknown heads with what is read") {
    const auto trace = inventory::read_trace(
        "arrive_s,depart_s,vm,kind,profile,gpus,nvlink,vcpu,mem_gb\n"
        "5,1,a,vgpu,20C,0,0,6,64\n",
        "trace.csv");
    REQUIRE_FALSE(trace.has_value());
    const std::string text = to_text(trace.error());
    CHECK(text.find("trace.csv:2") != std::string::npos);
    CHECK(text.find("'vgpu' is not known") != std::string::npos);
    CHECK(text.find("gpus: '0' is no whole number from 1 to 64") != std::string::npos);
    CHECK(text.find("leaves before it arrives") != std::string::npos);
    const auto unknown = inventory::read_trace("a,b\n1,2\n", "x.csv");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()).find("lifecycle") != std::string::npos);
    CHECK_FALSE(inventory::read_trace("a,b\n1\n", "x.csv").has_value());
  }

  TEST_CASE("a node list tells CPU, memory and GPUs") {
    const std::string text = "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\n";
    CHECK(inventory::is_node_list(text));
    CHECK_FALSE(inventory::is_node_list("kind: Cluster\n"));
    const auto fleet = inventory::read_node_list(
        "gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,64,n0\n", "fleet.csv");
    REQUIRE(fleet.has_value());
    CHECK(fleet->front().millicores == 64'000);
    CHECK_FALSE(fleet->front().memory_bytes.has_value());
    const auto nodes = inventory::read_node_list(text, "nodes.csv");
    REQUIRE(nodes.has_value());
    CHECK(nodes->front().gpus == 2);
    CHECK(nodes->front().memory_bytes == gib(256));
  }
}
